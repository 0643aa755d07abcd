import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class TeamsCreate extends CloudCommand {
  static override summary = 'Create a team in all environments of the project.';
  static override description =
    'It stays until "teams remove" removes it. Where the rights of an environment name teams, its people see nothing there until they name this one too.';
  static override examples = ['<%= config.bin %> teams create Support'];
  static override args = { name: string({ required: true, description: 'Name of the team.' }) };
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(TeamsCreate);
    const context = await this.createContext();
    const { createTeam } = await import('#flows/people/manage-teams');
    const { renderCreatedTeam } = await import('#cli/rendering/render-people');
    const folder = flags.project ?? context.workingFolder;
    this.present(await createTeam(context, { folder, name: args.name }), renderCreatedTeam);
  }
}
