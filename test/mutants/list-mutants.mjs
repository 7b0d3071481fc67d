// The small changes that a mutation test makes to a source file, and the text that holds all of them behind switches.
import ts from "typescript";

const { SyntaxKind: Kind } = ts;

const operators = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
};

const methods = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  min: "max",
  max: "min",
};

/** Methods whose call is replaced by the value that they are called on. */
const dropped = new Set(["filter", "slice", "toLowerCase", "toUpperCase", "trim", "sort", "toSorted", "reverse"]);

const swapped = ({ left, operatorToken, right }) =>
  (operators[operatorToken.getText()] ?? []).map((other) => `${left.getText()} ${other} ${right.getText()}`);

function changedCall({ expression, arguments: values }) {
  if (!ts.isPropertyAccessExpression(expression)) return [];
  const { name, expression: target } = expression;
  if (dropped.has(name.text)) return [target.getText()];
  if (!Object.hasOwn(methods, name.text)) return [];
  const start = expression.getText().slice(0, -name.text.length);
  return [`${start}${methods[name.text]}(${values.map((value) => value.getText()).join(", ")})`];
}

const changes = {
  [Kind.BinaryExpression]: swapped,
  [Kind.CallExpression]: changedCall,
  [Kind.PrefixUnaryExpression]: ({ operator, operand }) =>
    operator === Kind.ExclamationToken ? [operand.getText()] : [],
  [Kind.TrueKeyword]: () => ["false"],
  [Kind.FalseKeyword]: () => ["true"],
  [Kind.NumericLiteral]: ({ text }) => [String(Number(text) + 1)],
  [Kind.StringLiteral]: ({ text }) => [text === "" ? '"mutant"' : '""'],
  [Kind.NoSubstitutionTemplateLiteral]: () => ['""'],
  [Kind.TemplateExpression]: () => ['""'],
  [Kind.ArrayLiteralExpression]: ({ elements }) => (elements.length > 0 ? ["[]"] : []),
  [Kind.ObjectLiteralExpression]: ({ properties }) => (properties.length > 0 ? ["{}"] : []),
  [Kind.ArrowFunction]: ({ body }) => (ts.isBlock(body) ? [] : ["() => undefined"]),
  [Kind.ExpressionStatement]: () => [";"],
};

/** Returns whether a node decides a branch: it is replaced by `true` and by `false`. */
const isCondition = (node) =>
  (ts.isIfStatement(node.parent) && node.parent.expression === node) ||
  (ts.isConditionalExpression(node.parent) && node.parent.condition === node);

/** Returns whether a node is the target of an assignment, or a link of an optional chain that a switch would cut. */
const cannotBeWrapped = (node) =>
  (ts.isBinaryExpression(node.parent) &&
    node.parent.left === node &&
    node.parent.operatorToken.kind === Kind.EqualsToken) ||
  (ts.isOptionalChain(node) && !ts.isExpressionStatement(node.parent) && ts.isOptionalChain(node.parent)) ||
  ts.isTaggedTemplateExpression(node.parent) ||
  node.parent.name === node ||
  node.parent.propertyName === node;

const isNumber = (node) =>
  ts.isNumericLiteral(node) || (ts.isPrefixUnaryExpression(node) && ts.isNumericLiteral(node.operand));

/**
 * Returns whether a change of a node never shows: the empty text behind `??` is there for the compiler, and of the numbers between
 * which a comparison of two values chooses only the sign counts.
 */
function neverShows(node) {
  const { parent } = ts.isPrefixUnaryExpression(node.parent) ? node.parent : node;
  if (ts.isStringLiteral(node)) return node.text === "" && node.parent.operatorToken?.getText() === "??";
  if (!ts.isNumericLiteral(node) || !ts.isConditionalExpression(parent)) return false;
  return isNumber(parent.whenTrue) && node.text !== "0" && parent.getText().includes("-1");
}

function changesOf(node) {
  if (cannotBeWrapped(node) || neverShows(node)) return [];
  const all = [...(changes[node.kind]?.(node) ?? []), ...(isCondition(node) ? ["true", "false"] : [])];
  return [...new Set(all)].filter((replacement) => replacement !== node.getText());
}

const isSkipped = (node) => ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node);

const parse = (file, text) => ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);

/** Lists each change of a source file, in the order of its places. `key` stays as it is when other lines change. */
export function listMutants(file, text) {
  const source = parse(file, text);
  const seen = new Map();
  const found = [];
  const visit = (node) => {
    if (isSkipped(node)) return;
    if (node.parent !== undefined) for (const replacement of changesOf(node)) add(node, replacement);
    ts.forEachChild(node, visit);
  };
  const add = (node, replacement) => {
    const start = node.getStart();
    const line = source.getLineAndCharacterOfPosition(start).line;
    const code = text.split("\n")[line].trim();
    const same = [file, code, node.getText(), replacement].join("\n");
    seen.set(same, (seen.get(same) ?? 0) + 1);
    const key = `${same}\n${seen.get(same)}`;
    found.push({ file, key, line: line + 1, code, start, end: node.end, original: node.getText(), replacement });
  };
  visit(source);
  return found;
}

/** Returns the source with each mutant behind a switch, which `mutantSwitch(id)` of the global scope turns on. */
export function addSwitches(file, text, mutants) {
  const source = parse(file, text);
  const print = (node) => {
    let printed = "";
    let end = node.getStart();
    ts.forEachChild(node, (child) => {
      if (isSkipped(child)) return;
      printed += text.slice(end, child.getStart()) + print(child);
      end = child.end;
    });
    printed += text.slice(end, node.end);
    const own = mutants.filter((mutant) => mutant.start === node.getStart() && mutant.end === node.end);
    return own.filter((mutant) => changesOf(node).includes(mutant.replacement)).reduce(wrap(node), printed);
  };
  return text.slice(0, source.getStart()) + print(source);
}

const wrap =
  (node) =>
  (printed, { id, replacement }) => {
    if (ts.isExpressionStatement(node)) return `if (!mutantSwitch("${id}")) { ${printed} }`;
    // The switch is asked at each call, not once while the file is loaded.
    if (ts.isArrowFunction(node)) return `((...values) => mutantSwitch("${id}") ? undefined : (${printed})(...values))`;
    return `(mutantSwitch("${id}") ? (${replacement}) : (${printed}))`;
  };
