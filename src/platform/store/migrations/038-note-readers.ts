import { dialects, type Migration } from './migration.ts';

/** The people that news of a note concern, and how far they have read. Who has written in a note so far has read it. */
export const noteReaders: Migration = (engine) => {
  const { integer, keyedTable } = dialects[engine];
  return `
  create table note_readers (
    note_id ${integer} not null references notes,
    user_id ${integer} not null references users,
    read_to ${integer} not null,
    mentioned_in ${integer},
    primary key (note_id, user_id)
  )${keyedTable};
  create index notes_of_reader on note_readers (user_id, note_id);

  insert into note_readers (note_id, user_id, read_to)
  select written.note_id, written.user_id, max(every_message.number)
  from note_messages written
  join note_messages every_message on every_message.note_id = written.note_id
  group by written.note_id, written.user_id`;
};
