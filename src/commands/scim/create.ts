import { string as stringArgument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class ScimCreate extends CloudCommand {
  static override summary = 'Make a token with which the company provisions people of the project by SCIM 2.0.';
  static override description =
    'Prints only the token on stdout; nothing can print it again. It opens only SCIM, and only in this project. People who are in no mapped group have the role and the team that it names.';
  static override examples = [
    '<%= config.bin %> scim create entra --role support',
    '<%= config.bin %> scim create okta --role support --team Support --json',
  ];
  static override args = { name: stringArgument({ required: true, description: 'What the token is for.' }) };
  static override flags = {
    ...projectFlags,
    role: string({
      summary: 'Role of people who are in no group that gives one.',
      env: 'SERVICE_ROLE',
      required: true,
      helpValue: '<name>',
    }),
    team: string({ summary: 'Their team; Operations by default.', env: 'SERVICE_TEAM', helpValue: '<name>' }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(ScimCreate);
    const context = await this.createContext();
    const { createScimToken } = await import('#flows/people/manage-groups');
    const { noteScimToken, renderNewScimToken } = await import('#cli/rendering/render-groups');
    const { role, team } = flags;
    const folder = flags.project ?? context.workingFolder;
    const created = await createScimToken(context, { folder, name: args.name, role, team });
    noteScimToken(created, this.invocation.terminal);
    this.present(created, renderNewScimToken);
  }
}
