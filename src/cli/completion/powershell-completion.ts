import type { CompletionEntry } from './completion-entries.ts';

/** For `vendor-cloud completion powershell | Out-String | Invoke-Expression`. */
export function powershellCompletion(entries: readonly CompletionEntry[]): string {
  const rows = entries.map(({ path, candidates }) => {
    const words = candidates.map(({ name, summary }) => `@(${quoted(name)}, ${quoted(summary || name)})`);
    return `  ${quoted(path)} = @(${words.length === 1 ? ',' : ''}${words.join(', ')})`;
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
function quoted(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}
