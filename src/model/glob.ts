/**
 * Whether a text matches a pattern in which `*` stands for any characters, also none. Case does not matter.
 * Linear in the product of their lengths at worst, whatever the pattern: it may come from anyone.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const [glob, name] = [pattern.toLowerCase(), text.toLowerCase()];
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < name.length) {
    if (glob[at] === "*") {
      star = at;
      resume = index;
      at += 1;
    } else if (at < glob.length && glob[at] === name[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      // The last star takes one character more.
      at = star + 1;
      resume += 1;
      index = resume;
    } else return false;
  }
  return /^\**$/u.test(glob.slice(at));
}
