import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class PeopleList extends CloudCommand {
  static override summary = 'List who works on the project, and who is invited to it.';
  static override examples = ['<%= config.bin %> people list', '<%= config.bin %> people list --json'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PeopleList);
    const context = await this.createContext();
    const { listPeople } = await import('#flows/people/manage-people');
    const { renderPeople } = await import('#cli/rendering/render-people');
    this.present(await listPeople(context, flags.project ?? context.workingFolder), renderPeople);
  }
}
