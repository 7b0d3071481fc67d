/** The message of the error for a path that leads nowhere. */
export const noSuchFile = "there is no such file";
