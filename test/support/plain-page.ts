/** A page without colours, as wide as where there is no terminal, for a run without secrets. */
export const plainPage = { color: false, width: 100, mask: (text: string) => text } as const;

/** The same, with lines of any length. */
export const widePage = { ...plainPage, width: Infinity };
