/** What the command does. It is loaded when the flags are parsed. */
export function greeting(person, from) {
  return `Hello ${person} from ${from}!`;
}
