import { CloudCommand } from '#cli/command/cloud-command';
import { numberArgument } from '#cli/flags/number-argument';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class NotesGet extends CloudCommand {
  static override summary = 'Show a note with its messages.';
  static override description = '--json also tells the "etag" that a change of the note may be based on.';
  static override examples = ['<%= config.bin %> notes get 3'];
  static override args = { id: numberArgument({ required: true, description: 'Id of the note.' }) };
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(NotesGet);
    const context = await this.createContext();
    const { readNote } = await import('#flows/notes/manage-notes');
    const { renderNote } = await import('#cli/rendering/render-notes');
    const found = await readNote(context, { ...targetOf(flags, context), id: args.id });
    this.present(found, ({ note }, terminal) => renderNote(note, terminal));
  }
}
