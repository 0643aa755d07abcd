import type { Config } from '@oclif/core/config';
import { type CompletionEntry, completionEntries } from './completion-entries.ts';

const codeFor = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
} as const;

/** The code that completes commands and flags in a shell. */
export function completionCode(shell: keyof typeof codeFor, config: Pick<Config, 'commands'>): string {
  return codeFor[shell](completionEntries(config));
}

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

/** For `vendor-cloud completion fish > ~/.config/fish/completions/vendor-cloud.fish`. */
export function fishCompletion(entries: readonly CompletionEntry[]): string {
  const cases = entries.flatMap(({ path, candidates }) => [
    `        case ${fishText(path)}`,
    `            printf '%s\\t%s\\n' ${candidates.map(({ name, summary }) => `${fishText(name)} ${fishText(summary)}`).join(' ')}`,
  ]);
  return `# Completion of vendor-cloud for fish.
function __vendor_cloud_words
    switch "$argv[1]"
${cases.join('\n')}
        case '*'
            return 1
    end
end

function __vendor_cloud_path
    set -l tokens (commandline -opc)
    set -l path ''
    for word in $tokens[2..-1]
        set -l next (string trim -- "$path $word")
        if not string match -q -- '-*' $word; and __vendor_cloud_words $next >/dev/null
            set path $next
        end
    end
    echo $path
end

function __vendor_cloud_complete
    set -l path (__vendor_cloud_path)
    __vendor_cloud_words "$path "(commandline -opc)[-1]
    or __vendor_cloud_words "$path"
end

function __vendor_cloud_wants_file
    set -l last (commandline -opc)[-1]
    string match -q -- '--*' $last; and not __vendor_cloud_words (__vendor_cloud_path)" $last" >/dev/null
end

complete -c vendor-cloud -f
complete -c vendor-cloud -F -n __vendor_cloud_wants_file
complete -c vendor-cloud -a '(__vendor_cloud_complete)'`;
}

function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** For `vendor-cloud completion powershell | Out-String | Invoke-Expression`. */
export function powershellCompletion(entries: readonly CompletionEntry[]): string {
  const rows = entries.map(({ path, candidates }) => {
    const words = candidates.map(
      ({ name, summary }) => `@(${powershellText(name)}, ${powershellText(summary || name)})`,
    );
    return `  ${powershellText(path)} = @(${words.length === 1 ? ',' : ''}${words.join(', ')})`;
  });
  return `# Completion of vendor-cloud for PowerShell.
$vendorCloudWords = @{
${rows.join('\n')}
}

Register-ArgumentCompleter -Native -CommandName vendor-cloud -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $path = ''
  foreach ($word in $typed) {
    $next = "$path $word".Trim()
    if (-not $word.StartsWith('-') -and $vendorCloudWords.ContainsKey($next)) { $path = $next }
  }
  $key = if ($typed.Count -gt 0) { "$path $($typed[-1])" } else { $path }
  if (-not $vendorCloudWords.ContainsKey($key)) { $key = $path }
  $vendorCloudWords[$key] | Where-Object { $_[0].StartsWith($wordToComplete) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}`;
}

/** PowerShell ends a text at typographic quotes too. */
function powershellText(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}

/** For `vendor-cloud completion zsh > "${fpath[1]}/_vendor-cloud"`, or to be sourced after `compinit`. */
export function zshCompletion(entries: readonly CompletionEntry[]): string {
  const cases = entries.map(({ path, candidates }) => {
    const words = candidates.map(({ name, summary }) => zshText(`${name.replaceAll(':', '\\:')}:${summary}`));
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

function zshText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
