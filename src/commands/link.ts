import { boolean, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class Link extends CloudCommand {
  static override summary = 'Show or set the platform and the environment that this folder belongs to.';
  static override description =
    'Kept in .vendor-cloud/link.json, only for this copy of the project. Variables and the .env file win over it, and it wins over vendor-cloud.json.';
  static override examples = [
    '<%= config.bin %> link',
    '<%= config.bin %> link --to https://platform.example.com',
    '<%= config.bin %> link --remove',
  ];
  static override flags = {
    ...projectFlags,
    to: string({ summary: 'Address of the platform.', env: 'SERVICE_TO', helpValue: '<url>' }),
    remove: boolean({ summary: 'Take the link away.', env: 'SERVICE_REMOVE', exclusive: ['to'] }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Link);
    const context = await this.createContext();
    const { linkProject } = await import('#flows/environments/link-project');
    const { renderLink } = await import('#cli/rendering/render-environments');
    const to = flags.to === undefined ? undefined : { serverUrl: flags.to };
    const change = flags.remove ? 'none' : to;
    this.present(await linkProject(context, { folder: flags.project ?? context.workingFolder, change }), renderLink);
  }
}
