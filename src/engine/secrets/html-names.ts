const ascii =
  "!excl \"quot #num $dollar %percnt &amp 'apos (lpar )rpar *ast +plus ,comma .period /sol :colon ;semi <lt =equals >gt ?quest @commat " +
  "[lbrack [lsqb \\bsol ]rbrack ]rsqb ^hat _lowbar `grave {lbrace {lcub |verbar |vert }rbrace }rcub \ttab \nnewline €euro";
/** In the order of their characters, from U+00A0 on. */
const latin =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot " +
  "cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml " +
  "Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig " +
  "agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute " +
  "ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** The characters of ASCII and Latin-1 by the names that HTML has for them. */
export const htmlNames: ReadonlyMap<string, string> = new Map([
  ...ascii.split(" ").map((each) => [each.slice(1), each.charAt(0)] as const),
  ...latin.split(" ").map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
]);
