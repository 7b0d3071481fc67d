/** Milliseconds for which lines are gathered after a write: a person does not notice, and an apply prints hundreds of lines a second. */
const gatherFor = 30;

type Stream = Pick<NodeJS.WriteStream, "write" | "on" | "isTTY">;

/** Both streams of a process, of which the texts are written in the order in which they came. */
export interface StreamWriters {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Writes at once all that was gathered. To be called when the process ends. */
  readonly flush: () => void;
}

interface Entry {
  readonly write: (text: string) => void;
  text: string;
}

/** Returns writers to two streams. A text to a terminal, and the first after a pause, is written at once; others are gathered. */
export function streamWriters(out: Stream, error: Stream, now: () => number): StreamWriters {
  let waiting: Entry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let last = Number.NEGATIVE_INFINITY;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    last = now();
    const entries = waiting;
    waiting = [];
    for (const { write, text } of entries) write(text);
  };
  const gather = (stream: Stream, write: Entry["write"]) => (text: string) => {
    const previous = waiting.at(-1);
    if (previous?.write === write) previous.text += text;
    else waiting.push({ write, text });
    if (stream.isTTY || now() - last >= gatherFor) flush();
    // The end of the process writes the rest, and does not wait for it.
    else timer ??= setTimeout(flush, gatherFor).unref();
  };
  return {
    write: gather(out, writerTo(out, error)),
    writeError: gather(error, writerTo(error, out)),
    flush,
  };
}

/**
 * Writes to a stream for as long as someone reads it. A reader that has gone (`| head`) must not end an apply in its middle; a disk
 * that is full is said once, on the other stream.
 */
function writerTo(stream: Stream, other: Stream): (text: string) => void {
  let open = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // EIO: the terminal was closed.
    if (open && error.code !== "EPIPE" && error.code !== "EIO") {
      process.exitCode = 1;
      other.write(`The output cannot be written: ${error.message}\n`);
    }
    open = false;
  });
  return (text) => {
    if (open) stream.write(text);
  };
}
