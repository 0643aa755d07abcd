import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { contentFlags } from '#cli/flags/note-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class NotesCreate extends CloudCommand {
  static override summary = 'Begin a note on a record.';
  static override examples = [
    '<%= config.bin %> notes create --collection orders --record 7 --title Late --content "Where is it?"',
    'cat message.html | <%= config.bin %> notes create --collection orders --record 7 --title Late',
  ];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...contentFlags,
    collection: string({
      summary: 'Collection of the record.',
      env: 'SERVICE_COLLECTION',
      helpValue: '<name>',
      required: true,
    }),
    record: string({ summary: 'Id of the record.', env: 'SERVICE_RECORD', helpValue: '<id>', required: true }),
    title: string({ summary: 'What the note is about.', env: 'SERVICE_TITLE', helpValue: '<text>', required: true }),
    team: string({ summary: 'Team it is for; your own by default.', env: 'SERVICE_TEAM', helpValue: '<name>' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(NotesCreate);
    const context = await this.createContext();
    const { createNote } = await import('#flows/notes/manage-notes');
    const { readContent } = await import('#cli/asking/read-note-content');
    const { renderNote } = await import('#cli/rendering/render-notes');
    const note = await createNote(context, {
      ...targetOf(flags, context),
      collectionName: flags.collection,
      recordId: flags.record,
      title: flags.title,
      content: await readContent(flags, this.invocation.environment),
      teamName: flags.team,
    });
    this.present(note, renderNote);
  }
}
