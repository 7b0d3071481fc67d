import type { Ending } from "../../engine/session/host.ts";
import type { Io } from "../io.ts";

/** Prints the script of a shell. */
export async function completion(
  { shell }: { readonly shell: keyof typeof completionScripts },
  io: Io,
): Promise<Ending> {
  io.write(completionScripts[shell]);
  return "done";
}

const bash = `_hostform() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(hostform completion -- bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" </dev/null 2>/dev/null)
}
complete -o default -F _hostform hostform
`;

const zsh = `#compdef hostform
_hostform() {
  local -a found
  found=("\${(@f)$(hostform completion -- words "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" </dev/null 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
if [[ "\${funcstack[1]}" == _hostform ]]; then _hostform "$@"; else compdef _hostform hostform; fi
`;

const fish = `function __hostform
  set -l words (commandline -opc)
  set -l found (hostform completion -- words $words[2..-1] (commandline -ct) </dev/null 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c hostform -f -a '(__hostform)'
`;

/** Scripts that a shell reads once. Each asks the program for the words that fit. */
const completionScripts = { bash, zsh, fish } as const;
