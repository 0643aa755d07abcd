import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class TeamsRemove extends CloudCommand {
  static override summary = 'Remove a team that nobody belongs or is invited to, and that no rights name.';
  static override examples = ['<%= config.bin %> teams remove Support'];
  static override args = { name: string({ required: true, description: 'Name of the team.' }) };
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(TeamsRemove);
    const context = await this.createContext();
    const { removeTeam } = await import('#flows/people/manage-teams');
    const { renderRemovedTeam } = await import('#cli/rendering/render-people');
    const folder = flags.project ?? context.workingFolder;
    this.present(await removeTeam(context, { folder, name: args.name }), renderRemovedTeam);
  }
}
