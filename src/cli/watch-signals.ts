const interruptedStatus = 130;

/** Ends the process, and erases a line of progress (status-line.ts, which is not loaded before signals are watched). */
function exitNow(message = ""): never {
  if (process.stderr.isTTY && process.env["TERM"] !== "dumb") process.stderr.write("\r\u001b[K");
  if (message !== "") process.stderr.write(message);
  process.exit(interruptedStatus);
}

/**
 * Ends the process with 130 at the first SIGINT, SIGTERM or SIGHUP, until a handler is given to the returned function: from then on the
 * first signal calls the handlers, and a second SIGINT or SIGTERM ends the process at once.
 */
export function watchSignals(): (handler: () => void) => void {
  const handlers: (() => void)[] = [];
  let seen = 0;
  const onSignal = () => {
    if (handlers.length === 0) exitNow();
    seen += 1;
    if (seen > 1)
      exitNow(
        "Exited immediately. Requests in flight may or may not have been carried out; the next apply checks them first.\n",
      );
    for (const handler of handlers) handler();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // A terminal that closes sends it twice, by the shell and by the system, and nobody has asked twice.
  process.on("SIGHUP", () => seen === 0 && onSignal());
  return (handler) => handlers.push(handler);
}
