/** The data of an entry of a table of messages: its first parameter. */
export type DataOf<Entry extends (data: never, ...others: never) => unknown> = Entry extends () => unknown
  ? unknown
  : Readonly<Parameters<Entry>[0]>;
