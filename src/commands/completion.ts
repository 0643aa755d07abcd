import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/cloud-command';
import { bashCompletion } from '#cli/completion/bash-completion';
import { completionEntries } from '#cli/completion/completion-entries';
import { fishCompletion } from '#cli/completion/fish-completion';
import { powershellCompletion } from '#cli/completion/powershell-completion';
import { zshCompletion } from '#cli/completion/zsh-completion';

const scripts = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
} as const;

export default class Completion extends CloudCommand {
  static override summary = 'Print the code that completes commands and flags in a shell.';
  static override description = 'Nothing but the code is printed, so that a shell can run it.';
  static override examples = [
    'source <(<%= config.bin %> completion bash)',
    '<%= config.bin %> completion zsh > "${fpath[1]}/_vendor-cloud"',
    '<%= config.bin %> completion fish > ~/.config/fish/completions/vendor-cloud.fish',
    '<%= config.bin %> completion powershell | Out-String | Invoke-Expression',
  ];
  static override args = {
    shell: string({ description: 'The shell.', required: true, options: Object.keys(scripts) }),
  };

  override async run(): Promise<void> {
    const { args } = await this.parse(Completion);
    const shell = args.shell as keyof typeof scripts; // One of the options.
    this.present({ shell, code: scripts[shell](completionEntries(this.config)) }, ({ code }) => code);
  }
}
