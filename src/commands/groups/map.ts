import { boolean, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { groupArgument } from '#cli/flags/people-flags';
import { projectFlags } from '#cli/flags/project-flags';

export default class GroupsMap extends CloudCommand {
  static override summary = 'Say what a group of the company gives in the project.';
  static override description =
    'The group is one of the OpenID provider or of SCIM. What it gave before is replaced. The order in which groups were mapped first decides which role is the first one of somebody.';
  static override examples = [
    '<%= config.bin %> groups map support --role support --team Support',
    '<%= config.bin %> groups map platform-owners --role Administrators --administrators',
  ];
  static override args = groupArgument;
  static override flags = {
    ...projectFlags,
    role: string({
      summary: 'A role that it gives. Several with commas, or as several flags.',
      env: 'SERVICE_ROLE',
      multiple: true,
      delimiter: ',',
      helpValue: '<name>',
    }),
    team: string({
      summary: 'A team that it gives. Several with commas, or as several flags.',
      env: 'SERVICE_TEAM',
      multiple: true,
      delimiter: ',',
      helpValue: '<name>',
    }),
    administrators: boolean({
      summary: 'Whoever is in the group administers the project.',
      env: 'SERVICE_ADMINISTRATORS',
    }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(GroupsMap);
    const context = await this.createContext();
    const { mapGroup } = await import('#flows/people/manage-groups');
    const { renderGroups } = await import('#cli/rendering/render-groups');
    const { role: roles = [], team: teams = [], administrators: makesAdministrator } = flags;
    const folder = flags.project ?? context.workingFolder;
    const given = { folder, group: args.group, roles, teams, makesAdministrator };
    this.present(await mapGroup(context, given), renderGroups);
  }
}
