/** A type and its content as a manifest writes them in one line of YAML; undefined where it has other words for them. */
export function writtenRecord(type: string, content: string): string | undefined {
  const text = JSON.stringify(content);
  if (type === "MX") return `MX: { priority: 0, value: ${text} }`;
  if (type !== "SRV") return `${type}: ${text}`;
  const [weight = "", port = "", target, ...rest] = content.split(" ");
  const isField = (word: string) => /^[1-9]\d*$|^0$/u.test(word);
  if (target === undefined || rest.length > 0 || !isField(weight) || !isField(port)) return undefined;
  return `SRV: { priority: 0, weight: ${weight}, port: ${port}, target: ${JSON.stringify(target)} }`;
}
