// One name, one idea: no two exported types of src/ have the same name. The page is a program of its own.

import type { Violation } from './import-rules.ts';
import type { Source } from './source.ts';

const EXPORTED = /^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;
const WEB = 'src/dashboard/web/';

export function typeNames(sources: readonly Source[]): Violation[] {
  const named = sources
    .filter(({ path }) => path.startsWith('src/') && !path.startsWith(WEB))
    .flatMap(({ path, text }) =>
      [...text.matchAll(EXPORTED)].map(([, name]) => ({ path, name: name! })),
    );
  return [...Map.groupBy(named, ({ name }) => name)].flatMap(([name, places]) => {
    const paths = new Set(places.map(({ path }) => path));
    if (paths.size < 2) return [];
    return [...paths].map((path) => {
      const others = [...paths].filter((other) => other !== path).join(', ');
      return { rule: 'type-names', path, detail: `${name} is also exported by ${others}` };
    });
  });
}
