const ascii =
  "!excl \"quot #num $dollar %percnt &amp 'apos (lpar )rpar *ast +plus ,comma .period /sol :colon ;semi <lt =equals >gt ?quest @commat " +
  "[lbrack [lsqb \\bsol ]rbrack ]rsqb ^hat _lowbar `grave {lbrace {lcub |verbar |vert }rbrace }rcub \ttab \nnewline \u00a0nbsp";
/** The characters of ASCII by the names that HTML has for them. */
export const htmlNames: ReadonlyMap<string, string> = new Map(
  ascii.split(" ").map((each) => [each.slice(1), each.charAt(0)] as const),
);
