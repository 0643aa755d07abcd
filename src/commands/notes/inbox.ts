import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { agentUrlFlags } from '#cli/flags/insights-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class NotesInbox extends CloudCommand {
  static override summary =
    'Show the notes that mention you or answer you and that you have not read, the newest first.';
  static override description =
    'Asks the agent of the dev session, or of an environment. Shows notes on records that you may read there, as the inbox of the console does.';
  static override examples = [
    '<%= config.bin %> notes inbox',
    '<%= config.bin %> notes inbox --env production --read',
    '<%= config.bin %> notes inbox --all --json',
  ];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...agentUrlFlags,
    all: boolean({ summary: 'Also notes without news.', env: 'SERVICE_ALL' }),
    read: boolean({ summary: 'Mark what is shown as read.', env: 'SERVICE_READ' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(NotesInbox);
    const context = await this.createContext();
    const { readInbox } = await import('#flows/notes/read-inbox');
    const { renderInbox } = await import('#cli/rendering/render-notes');
    const inbox = await readInbox(context, {
      ...targetOf(flags, context),
      agentUrl: flags['agent-url'],
      isWhole: flags.all,
      marksRead: flags.read,
    });
    this.present(inbox, renderInbox);
  }
}
