const maxDepth = 1_000;

/**
 * Whether JSON is nested so deeply that code which walks through it would run out of stack. It does not check the form of
 * the text.
 */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    switch (json.charCodeAt(index)) {
      case 0x22: // "
        index = endOfText(json, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        if (depth > maxDepth) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return false;
}

/** The position of the closing quotation mark; the end of the JSON when there is none. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (json.charCodeAt(first - 1) === 0x5c) first--; // \
    if ((end - first) % 2 === 0) return end;
  }
  return json.length;
}
