import { hiddenCommand } from './completion.ts';

/** The line of the answer that asks the shell for names of files. Candidates are `word<tab>description`. */
export const filesMark = ':files';

/** Bash splits words at `=` and `:`, too; they are joined for the program, and cut off its answers. */
const bash = `# Completion for bash: source <(potager completion bash)
_potager() {
  local words=() word i joins=0
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == [=:] && \${#words[@]} -gt 0 ]]; then words[-1]+=$word joins=1
    elif ((joins)); then words[-1]+=$word joins=0
    else words+=("$word"); fi
  done
  local current=\${words[-1]} cut=
  [[ $current == *[=:]* ]] && cut=\${current%"\${current##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ $word == '${filesMark}' ]]; then compopt -o default
    else
      [[ $word == *= ]] && compopt -o nospace
      COMPREPLY+=("\${word#"$cut"}")
    fi
  done < <("\${COMP_WORDS[0]}" ${hiddenCommand} -- "\${words[@]}" 2>/dev/null)
}
complete -F _potager potager
`;

const zsh = `#compdef potager
# Completion for zsh: source <(potager completion zsh), or save it as _potager in a folder of $fpath.
_potager() {
  local line word
  local -a plain open
  local offers_files=0
  for line in "\${(@f)$("\${words[1]}" ${hiddenCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=\${line%%$'\\t'*}
    if [[ $line == '${filesMark}' ]]; then offers_files=1
    elif [[ -z $line ]]; then continue
    elif [[ $word == *= ]]; then open+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
    else plain+=("\${word//:/\\\\:}:\${line#*$'\\t'}"); fi
  done
  (( \${#plain} )) && _describe 'potager' plain
  (( \${#open} )) && _describe 'potager' open -S ''
  (( offers_files )) && _files
}
if [[ $funcstack[1] == _potager ]]; then _potager "$@"; else compdef _potager potager; fi
`;

const fish = `# Completion for fish: potager completion fish | source
function __potager_complete
  set -l line (commandline -opc) (commandline -ct)
  for candidate in ($line[1] ${hiddenCommand} -- $line[2..-1] 2>/dev/null)
    if test "$candidate" = '${filesMark}'
      __fish_complete_path (commandline -ct)
    else
      echo $candidate
    end
  end
end
complete -c potager -f -a '(__potager_complete)'
`;

/** Scripts that complete command lines, by shell. All ask the program, so they stay true when it changes. */
export const completionScripts: Readonly<Record<string, string>> = { bash, zsh, fish };
