import { describe, expect, it } from 'vitest';
import { githubAnnotations } from '#cli/rendering/render-checks';
import { cloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';

const error = reportOfError(
  cloudError('BUILD_FAILED', '100 % wrong:\nreally', 'To fix it.', {
    location: { file: '/home/ada/app/src/a,b.ts', line: 3, column: 7 },
  }),
);

describe('annotations of GitHub', () => {
  it('point at the place in the repository, and carry the whole message in one line', () => {
    const variables = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: '/home/ada' };
    expect(githubAnnotations([error], variables)).toEqual([
      '::error title=BUILD_FAILED,file=app/src/a%2Cb.ts,line=3,col=7::100 %25 wrong:%0Areally%0A→ To fix it.',
    ]);
  });

  it('are left out elsewhere', () => {
    expect(githubAnnotations([error], { CI: 'true' })).toEqual([]);
  });
});
