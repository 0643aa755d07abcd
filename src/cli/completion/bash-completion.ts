import type { CompletionEntry } from './completion-entries.ts';

/** For `source <(vendor-cloud completion bash)`. */
export function bashCompletion(entries: readonly CompletionEntry[]): string {
  const cases = entries.map(
    ({ path, candidates }) => `    '${path}') echo '${candidates.map(({ name }) => name).join(' ')}' ;;`,
  );
  return `# Completion of vendor-cloud for bash.
_vendor_cloud_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}

_vendor_cloud() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word != -* ]] && _vendor_cloud_words "\${path:+$path }$word" > /dev/null; then path="\${path:+$path }$word"; fi
  done
  words="$(_vendor_cloud_words "$path $previous")" || words="$(_vendor_cloud_words "$path")"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _vendor_cloud vendor-cloud`;
}
