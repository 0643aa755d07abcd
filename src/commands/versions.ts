import { integer } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class Versions extends CloudCommand {
  static override summary = 'List the versions of the project, newest first, and say which one is live.';
  static override examples = [
    '<%= config.bin %> versions --env production',
    '<%= config.bin %> versions --limit 5 --json',
  ];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    limit: integer({ summary: 'How many to list.', env: 'SERVICE_LIMIT', default: 20, min: 1, max: 100 }),
    before: integer({
      summary: 'Only versions with a lower number, for the next page.',
      env: 'SERVICE_BEFORE',
      min: 1,
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Versions);
    const context = await this.createContext();
    const { listVersions } = await import('#flows/deployments/list-versions');
    const { renderVersions } = await import('#cli/rendering/render-deployments');
    const { limit, before } = flags;
    this.present(await listVersions(context, { ...targetOf(flags, context), limit, before }), renderVersions);
  }
}
