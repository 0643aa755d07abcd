import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { whenClosed } from '#kernel/async/when-closed';

it('a response that is closed already calls at once, and another one when it closes', () => {
  const called: string[] = [];
  const open = Object.assign(new EventEmitter(), { closed: false });
  whenClosed(Object.assign(new EventEmitter(), { closed: true }), () => called.push('closed'));
  whenClosed(open, () => called.push('open'));
  expect(called).toEqual(['closed']);
  open.emit('close');
  open.emit('close');
  expect(called).toEqual(['closed', 'open']);
});
