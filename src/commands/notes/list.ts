import { integer, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class NotesList extends CloudCommand {
  static override summary = 'List the notes on records, the newest first.';
  static override examples = [
    '<%= config.bin %> notes list',
    '<%= config.bin %> notes list --collection orders --record 7 --json',
  ];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    collection: string({ summary: 'On records of this collection.', env: 'SERVICE_COLLECTION', helpValue: '<name>' }),
    record: string({ summary: 'On the record of this id.', env: 'SERVICE_RECORD', helpValue: '<id>' }),
    user: string({ summary: 'Begun by this person.', env: 'SERVICE_USER', helpValue: '<e-mail>' }),
    team: string({ summary: 'Of this team.', env: 'SERVICE_TEAM', helpValue: '<name>' }),
    limit: integer({ summary: 'How many at most.', env: 'SERVICE_LIMIT', min: 1, max: 100, default: 20 }),
    cursor: string({ summary: 'Go on where a page ended.', env: 'SERVICE_CURSOR', helpValue: '<cursor>' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(NotesList);
    const context = await this.createContext();
    const { listNotes } = await import('#flows/notes/manage-notes');
    const { renderNotes } = await import('#cli/rendering/render-notes');
    const listed = await listNotes(context, {
      ...targetOf(flags, context),
      limit: flags.limit,
      cursor: flags.cursor,
      collectionName: flags.collection,
      recordId: flags.record,
      userEmail: flags.user,
      teamName: flags.team,
    });
    this.present(listed, renderNotes);
  }
}
