import { expect, it } from 'vitest';
import { textOf } from '#cli/rendering/render-notes';

it.each([
  ['<p>one</p><p>two<br />three</p>', 'one\ntwo\nthree'],
  ['<ul><li>one</li><li>two</li></ul>', '- one\n- two'],
  ['see <a href="https://example.test/?a&amp;b">this</a>', 'see this (https://example.test/?a&b)'],
  ['<a href="https://example.test">https://example.test</a>', 'https://example.test'],
  ['<b>5 &lt; 6 &amp;&amp; 6 &gt; 5</b> &amp;lt;', '5 < 6 && 6 > 5 &lt;'],
  ['\u001B[31mred\u0007\u001B]0;title\u0007', 'red'],
])('the text of %j is what it says', (html, text) => {
  expect(textOf(html)).toBe(text);
});
