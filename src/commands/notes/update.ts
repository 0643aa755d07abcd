import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { etagFlags } from '#cli/flags/note-flags';
import { numberArgument } from '#cli/flags/number-argument';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class NotesUpdate extends CloudCommand {
  static override summary = 'Change the title of a note.';
  static override examples = ['<%= config.bin %> notes update 3 --title "Late again"'];
  static override args = { id: numberArgument({ required: true, description: 'Id of the note.' }) };
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...etagFlags,
    title: string({ summary: 'The new title.', env: 'SERVICE_TITLE', helpValue: '<text>', required: true }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(NotesUpdate);
    const context = await this.createContext();
    const { updateNote } = await import('#flows/notes/manage-notes');
    const { renderNote } = await import('#cli/rendering/render-notes');
    const changed = await updateNote(context, {
      ...targetOf(flags, context),
      id: args.id,
      change: { title: flags.title },
      etag: flags.etag,
    });
    this.present(changed, ({ note }, terminal) => renderNote(note, terminal));
  }
}
