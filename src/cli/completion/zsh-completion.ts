import type { CompletionEntry } from './completion-entries.ts';

/** For `vendor-cloud completion zsh > "${fpath[1]}/_vendor-cloud"`, or to be sourced after `compinit`. */
export function zshCompletion(entries: readonly CompletionEntry[]): string {
  const cases = entries.map(({ path, candidates }) => {
    const words = candidates.map(({ name, summary }) => quoted(`${name.replaceAll(':', '\\:')}:${summary}`));
    return `    '${path}') reply=(${words.join(' ')}) ;;`;
  });
  return `#compdef vendor-cloud
# Completion of vendor-cloud for zsh.
_vendor_cloud_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}

_vendor_cloud() {
  local commandPath='' word
  local -a reply
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ $word != -* ]] && _vendor_cloud_words "\${commandPath:+$commandPath }$word"; then
      commandPath="\${commandPath:+$commandPath }$word"
    fi
  done
  _vendor_cloud_words "$commandPath \${words[CURRENT-1]}" || _vendor_cloud_words "$commandPath"
  _describe 'vendor-cloud' reply
}

if [[ "$funcstack[1]" == _vendor-cloud ]]; then _vendor_cloud "$@"; else compdef _vendor_cloud vendor-cloud; fi`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
