// The layout of frr.conf, and nothing but layout: loops and indentation. Every word that could be decided
// otherwise was decided when the configuration was planned. Strict mode: a name that the configuration
// does not have is an error and not an empty line.

import Handlebars from 'handlebars';
import type { FrrConfig } from '../plan/frr-config.ts';

const LAYOUT = `frr defaults traditional
{{#each globals}}
{{this}}
{{/each}}
!
{{#each lists}}
{{#each lines}}
{{this}}
{{/each}}
{{/each}}
!
{{#each routeMaps}}
{{#each clauses}}
{{header}}
{{#each lines}}
 {{this}}
{{/each}}
exit
{{/each}}
!
{{/each}}
{{#each instances}}
{{header}}
{{#each settings}}
 {{this}}
{{/each}}
{{#each neighbors}}
{{#each lines}}
 {{this}}
{{/each}}
{{/each}}
{{#each families}}
 !
 address-family {{header}}
{{#each lines}}
  {{this}}
{{/each}}
 exit-address-family
{{/each}}
exit
!
{{/each}}
end
`;

const template = Handlebars.compile<FrrConfig>(LAYOUT, { noEscape: true, strict: true });

/** frr.conf; holds passwords in clear text. */
export function renderConfig(config: FrrConfig): string {
  return template(config);
}
