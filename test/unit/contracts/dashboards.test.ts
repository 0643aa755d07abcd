import { describe, expect, it } from 'vitest';
import { type BuiltDashboard, dashboardsOf, withDashboards } from '#contracts/dashboards';

const dashboard: BuiltDashboard = {
  name: 'a',
  title: 'End \u2028 \u2029\n*/ //# x',
  charts: [{ chart: 'One' }],
  lines: [3],
};
const map = '\n//# sourceMappingURL=data:application/json;base64,e30=\n';

describe('dashboards in built code', () => {
  it('come back as they were, before the source map and on one line of code', () => {
    const code = withDashboards(`exports.a = 1;${map}`, [dashboard]);
    expect(dashboardsOf(code)).toEqual([dashboard]);
    expect(code.endsWith(map)).toBe(true);
    expect(code.split(/[\n\r\u2028\u2029]/).slice(2)).toEqual(map.split('\n').slice(1));
    const exports: { a?: number } = {};
    new Function('exports', code)(exports);
    expect(exports.a).toBe(1);
  });

  it('are not found in code without them, even where a text looks like them', () => {
    expect(withDashboards(`x${map}`, [])).toBe(`x${map}`);
    expect(dashboardsOf('')).toEqual([]);
    expect(dashboardsOf(`a = \`\n//# dashboards=[1]\n\`;${map}`)).toEqual([]);
  });
});
