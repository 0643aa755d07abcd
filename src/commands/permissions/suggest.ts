import { integer, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class PermissionsSuggest extends CloudCommand {
  static override summary = 'Propose the least rights that people used lately.';
  static override description =
    'Looks at what the log says people did, and takes away what their roles may do and nobody did. Changes nothing: write the proposal to a file, look at it, then apply it.';
  static override examples = [
    '<%= config.bin %> permissions suggest --env production --days 90',
    '<%= config.bin %> permissions suggest --env production --output permissions.json',
  ];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    days: integer({
      summary: 'How many days to look back.',
      env: 'SERVICE_DAYS',
      default: 30,
      min: 1,
      max: 366,
      helpValue: '<n>',
    }),
    output: string({
      char: 'o',
      summary: 'File that the proposal is written to, in place of what it holds.',
      env: 'SERVICE_OUTPUT',
      helpValue: '<file>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PermissionsSuggest);
    const context = await this.createContext();
    const { suggestPermissions } = await import('#flows/permissions/list-permissions');
    const { renderSuggestion } = await import('#cli/rendering/render-permissions');
    const { days, output } = flags;
    this.present(await suggestPermissions(context, { ...targetOf(flags, context), days, output }), renderSuggestion);
  }
}
