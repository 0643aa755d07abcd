import { option } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export default class Completion extends CloudCommand {
  static override summary = 'Print the code that completes commands and flags in a shell.';
  static override description = 'Only the code is printed, so that a shell can run it.';
  static override examples = [
    'source <(<%= config.bin %> completion bash)',
    '<%= config.bin %> completion zsh > "${fpath[1]}/_vendor-cloud"',
    '<%= config.bin %> completion fish > ~/.config/fish/completions/vendor-cloud.fish',
    '<%= config.bin %> completion powershell | Out-String | Invoke-Expression',
  ];
  static override args = {
    shell: option({ options: shells })({ description: 'The shell.', required: true }),
  };

  override async run(): Promise<void> {
    const { args } = await this.parse(Completion);
    const { completionCode } = await import('#cli/completion/completion-code');
    const { shell } = args;
    this.present({ shell, code: completionCode(shell, this.config) }, ({ code }) => code);
  }
}
