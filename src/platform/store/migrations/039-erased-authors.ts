import { dialects, type Migration } from './migration.ts';

/** The author of a note or a message may be erased. The column takes the place of one that could not be empty. */
export const erasedAuthors: Migration = (engine) =>
  ['notes', 'note_messages'].flatMap((name) => [
    `alter table ${name} add column author_id ${dialects[engine].integer} references users`,
    `update ${name} set author_id = user_id`,
    `alter table ${name} drop column user_id`,
    `alter table ${name} rename column author_id to user_id`,
  ]);
