/** Whether a text is a name that databases and their users take. */
export const isIdentifier = (name: string) => /^[a-z][\w-]{0,62}$/iu.test(name);

export const identifierForm = "at most 63 letters, digits, _ and -, which begins with a letter";
