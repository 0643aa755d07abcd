import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentOf, mentionAt, type NoteNode, parseContent } from '../../../src/console/notes/note-html.ts';

const ada = { label: 'Ada', id: 7 };
const adaLovelace = { label: 'Ada Lovelace', id: 8 };
const textOf = (nodes: readonly NoteNode[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');

describe('the content of a message', () => {
  it.each([
    ['one <b>line</b> & "more"', [], '<p>one &lt;b&gt;line&lt;/b&gt; &amp; &quot;more&quot;</p>'],
    ['one\ntwo\n\n\nthree\n', [], '<p>one<br />two</p><p>three</p>'],
    [
      '(see https://example.test/a?b=1&c=2).',
      [],
      '<p>(see <a href="https://example.test/a?b=1&amp;c=2">https://example.test/a?b=1&amp;c=2</a>).</p>',
    ],
    [
      '@Ada Lovelace, @Ada and @Adam',
      [ada, adaLovelace],
      '<p><mention user="8"></mention>, <mention user="7"></mention> and @Adam</p>',
    ],
    ['javascript:alert(1) @Bob', [ada], '<p>javascript:alert(1) @Bob</p>'],
    ['@A (B) 1', [{ label: 'A (B) 1', id: 1 }], '<p><mention user="1"></mention></p>'],
  ])('of %j keeps lines, links and mentions', (text, mentions, content) => {
    expect(contentOf(text, mentions)).toBe(content);
  });

  it('says what somebody typed, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const flat = text.replaceAll('\n', '').trim();
        expect(textOf(parseContent(contentOf(flat, [])))).toBe(flat);
      }),
    );
  });
});

describe('the tree of a message', () => {
  it('has the elements of notes only, and links to the web and to mail', () => {
    expect(parseContent('<p>a<br />b</p><ul><li><b>c</b></li></ul>')).toEqual([
      { name: 'p', children: ['a', { name: 'br', children: [] }, 'b'] },
      { name: 'ul', children: [{ name: 'li', children: [{ name: 'b', children: ['c'] }] }] },
    ]);
    expect(
      parseContent('<a href="https://example.test/?a=1&amp;b">x</a><a href="javascript:alert(1)">y</a><a>z</a>'),
    ).toEqual([
      { name: 'a', href: 'https://example.test/?a=1&b', children: ['x'] },
      { name: 'a', children: ['y'] },
      { name: 'a', children: ['z'] },
    ]);
    expect(parseContent('<mention user="7">@Ada &lt;script&gt;</mention>!')).toEqual([
      { name: 'mention', children: ['@Ada <script>'] },
      '!',
    ]);
  });

  it.each([
    ['<script>alert(1)</script>', ['alert(1)']],
    ['<img src=x onerror=alert(1)>a', ['a']],
    ['<p onclick="alert(1)">a', [{ name: 'p', children: ['a'] }]],
    ['a</p></b>b', ['a', 'b']],
    ['1 < 2', ['1 ', '<', ' 2']],
    ['<a\thref="data:text/html,x">a</a>', [{ name: 'a', children: ['a'] }]],
  ] as const)('of %j has nothing that a note may not have', (html, nodes) => {
    expect(parseContent(html)).toEqual(nodes);
  });
});

it.each([
  ['@', 1, { search: '', from: 0 }],
  ['Hi @Ad', 6, { search: 'Ad', from: 3 }],
  ['Hi @Ada Lo and', 10, { search: 'Ada Lo', from: 3 }],
  ['Hi @Ada Lovelace and', 20, undefined],
  ['mail@example', 12, undefined],
  ['Hi', 2, undefined],
] as const)('somebody who types %j to %i asks for people', (text, place, found) => {
  expect(mentionAt(text, place)).toEqual(found);
});
