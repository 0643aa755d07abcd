/** The sentences about notes on records, and the inbox, in English. */
export const notes = {
  title: 'Notes',
  open: (count: number, unread: number) =>
    `${count === 1 ? '1 open' : `${count} open`}${unread === 0 ? '' : `, ${unread} with news`}`,
  none: 'There is no note on this record.',
  begin: 'New note',
  noteTitle: 'Title (required)',
  text: 'Text. @ mentions people, and an empty line begins a paragraph.',
  reply: 'Reply',
  send: 'Send',
  rename: 'Rename',
  archive: 'Archive',
  unarchive: 'Take out of the archive',
  archived: 'archived',
  isNew: 'new',
  older: 'Older notes',
  people: 'People to mention',
  inbox: {
    unread: 'News',
    earlier: 'Earlier',
    none: 'There is no news for you',
    noneWhy:
      'Notes appear here when somebody mentions you in them, and when somebody answers in a note that you have written in.',
    about: (collection: string, record: string) => `${collection} ${record}`,
    by: (name: string) => `last by ${name}`,
    count: (count: number) => (count === 1 ? '1 new message' : `${count} new messages`),
    mentioned: 'mentions you',
    markRead: 'Mark as read',
    approvals: (count: string) =>
      count === '1' ? '1 request waits for your approval' : `${count} requests wait for your approval`,
  },
};
