import { CloudCommand } from '#cli/command/cloud-command';
import { contentFlags } from '#cli/flags/note-flags';
import { numberArgument } from '#cli/flags/number-argument';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class NotesReply extends CloudCommand {
  static override summary = 'Add a message to a note.';
  static override examples = [
    '<%= config.bin %> notes reply 3 --content "It is on its way."',
    'cat message.html | <%= config.bin %> notes reply 3',
  ];
  static override args = { id: numberArgument({ required: true, description: 'Id of the note.' }) };
  static override flags = { ...projectFlags, ...environmentFlags, ...contentFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(NotesReply);
    const context = await this.createContext();
    const { replyToNote } = await import('#flows/notes/manage-notes');
    const { readContent } = await import('#cli/asking/read-note-content');
    const { renderNote } = await import('#cli/rendering/render-notes');
    const content = await readContent(flags, this.invocation.environment);
    const note = await replyToNote(context, { ...targetOf(flags, context), id: args.id, content });
    this.present(note, renderNote);
  }
}
