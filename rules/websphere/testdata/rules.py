# Jython
import sys
AdminTask.addWebServerRoutingRule('[-name a -order 1 -expression "uri like \'/A/%\'" -action permit -destination "cluster=cell1/A"]')
AdminTask.addWebServerRoutingRule(['-name', 'b', '-order', '2', '-expression', "queryparm$v <> '1' AND mimetype IN ('text/html', 'text/plain')",
    '-action', 'redirect', '-url', 'https://www.company.example/b'])
AdminTask.createRoutingRule('[-name c -order 3 -expression "uri = ' + path + '" -action reject -code 403]')
AdminTask.addWebServerRoutingRule("""[-name d -order 4 -expression "header$A LIKE '10!%%' ESCAPE '!'"
   -action reject -code 429]""")
AdminTask.setRoutingRulesProperty('[-overrideAffinity true]')
AdminConfig.save()
