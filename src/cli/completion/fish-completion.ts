import type { CompletionEntry } from './completion-entries.ts';

/** For `vendor-cloud completion fish > ~/.config/fish/completions/vendor-cloud.fish`. */
export function fishCompletion(entries: readonly CompletionEntry[]): string {
  const cases = entries.flatMap(({ path, candidates }) => [
    `        case ${quoted(path)}`,
    `            printf '%s\\t%s\\n' ${candidates.map(({ name, summary }) => `${quoted(name)} ${quoted(summary)}`).join(' ')}`,
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

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
