import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { lockoutFlags } from '#cli/flags/confirm-flags';
import { memberFlags, personArgument } from '#cli/flags/people-flags';
import { projectFlags } from '#cli/flags/project-flags';

export default class PeopleSet extends CloudCommand {
  static override summary =
    'Give a member other roles, another level or other teams, or let a deactivated one in again.';
  static override description =
    'Roles and teams take the place of those that administrators gave before. Another first team ends what the person is signed in with at agents. The last active administrator stays one.';
  static override examples = [
    '<%= config.bin %> people set bob@example.com --role support --team Support',
    '<%= config.bin %> people set bob@example.com --role support,billing',
    '<%= config.bin %> people set bob@example.com --active --json',
  ];
  static override args = personArgument;
  static override flags = {
    ...projectFlags,
    ...memberFlags,
    ...lockoutFlags,
    active: boolean({ summary: 'Let the person in again.', env: 'SERVICE_ACTIVE' }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(PeopleSet);
    const context = await this.createContext();
    const { changePerson } = await import('#flows/people/manage-people');
    const { renderChangedPerson } = await import('#cli/rendering/render-people');
    const { level, role: roles, team: teams } = flags;
    const isActive = flags.active ? true : undefined;
    const change = { level, roles, teams, isActive, allowLockout: flags['allow-lockout'] };
    const folder = flags.project ?? context.workingFolder;
    this.present(await changePerson(context, { folder, email: args.email, ...change }), renderChangedPerson);
  }
}
