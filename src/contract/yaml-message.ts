/** Returns the mistake in a YAML text in the words of its parser, which runs out of stack where lists stand within lists without end. */
export const yamlMessage = (message: string): string =>
  /call stack/u.test(message) ? "lists or maps are nested too deeply" : message;
