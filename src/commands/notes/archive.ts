import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { etagFlags } from '#cli/flags/note-flags';
import { numberArgument } from '#cli/flags/number-argument';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class NotesArchive extends CloudCommand {
  static override summary = 'Archive a note: nobody adds messages to it any more.';
  static override examples = ['<%= config.bin %> notes archive 3', '<%= config.bin %> notes archive 3 --undo'];
  static override args = { id: numberArgument({ required: true, description: 'Id of the note.' }) };
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...etagFlags,
    undo: boolean({ summary: 'Take it out of the archive.', env: 'SERVICE_UNDO' }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(NotesArchive);
    const context = await this.createContext();
    const { updateNote } = await import('#flows/notes/manage-notes');
    const { renderNote } = await import('#cli/rendering/render-notes');
    const changed = await updateNote(context, {
      ...targetOf(flags, context),
      id: args.id,
      change: { archived: !flags.undo },
      etag: flags.etag,
    });
    this.present(changed, ({ note }, terminal) => renderNote(note, terminal));
  }
}
