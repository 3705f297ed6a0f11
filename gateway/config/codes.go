package config

import "slices"

// Code explains one code of a problem, for help without a network.
type Code struct {
	Code    string // E102
	Title   string // what it is, in a few words
	Cause   string // why it is refused or warned of
	Example string // lines that bring it about
	Fix     string // what to do
}

// Codes is every code that a problem may have, in order: E1xx for the file and
// the form of values, E2xx for what does not fit together, E3xx for rules, E5xx for plugins,
// E6xx for certificates,
// E8xx for what fails when a configuration is put to use; W for what is probably
// not meant. The packages that compile and run a configuration have theirs here too.
var Codes = slices.Concat(errorCodes, warningCodes)

var errorCodes = []Code{
	{
		"E100", "not YAML",
		"The file cannot be read as YAML. What comes after the place was not looked at.",
		"listeners: [{ address: \":8080\" }",
		"Close brackets and quotes, indent with blanks, and quote values that begin with a special character. Inside { } a substitution is quoted: \"${env:NAME}\".",
	},
	{
		"E101", "file cannot be read",
		"The file does not exist, is not a regular file, is too large, holds nothing, or may not be read by this user.",
		"weirkeep serve -c missing.yaml",
		"Check the path and its permissions. weirkeep init weirkeep.yaml makes a file to begin with.",
	},
	{
		"E102", "unknown key",
		"A key that does not exist would be ignored, so a misspelt one is an error.",
		"clusters: { shop: { orgins: [] } }",
		"Use the key that is suggested; weirkeep init prints every key there is.",
	},
	{
		"E103", "key written twice",
		"A map has the same key twice, and only one of the values could hold.",
		"drain:\n  delay: 5s\n  delay: 10s",
		"Take one of them away.",
	},
	{
		"E104", "wrong type",
		"The value is of another kind than the key takes: a list for a map, a number for text. YAML takes 1.2 and true for a number and a truth value unless they are quoted.",
		"tls: { min_version: 1.2 }",
		"Write the kind of value that is asked for; quote text that looks like a number.",
	},
	{
		"E105", "key without value",
		"The key has no value. What was meant to be below it may be indented wrongly or commented out.",
		"drain:\n  delay:",
		"Write a value, or take the key away to get its default.",
	},
	{
		"E106", "missing key",
		"Something that has no default is not there, or a list or map that must not be empty is.",
		"clusters: { shop: { balancer: random } }",
		"Add the key that is named.",
	},
	{
		"E107", "substitution fails",
		"${env:NAME} or ${file:path} names something that is not there, or stands inside other text. Only a whole value is replaced.",
		"admin: { token: \"${env:NO_SUCH_VARIABLE}\" }",
		"Set the variable, give a default as in ${env:NAME:-default}, or correct the path.",
	},
	{
		"E108", "YAML that is not used here",
		"Merge keys (<<), tags (!!str), keys that are no words, several documents in a file, and aliases without an anchor before them are refused: each hides what holds.",
		"second: { <<: *first }",
		"Write the keys out. An alias that stands for a whole value is fine.",
	},
	{
		"E109", "too much",
		"The configuration is nested too deeply, unfolds to too many values, includes too many files, or has too many mistakes to list.",
		"include: [\"/**/*\"]",
		"Make it smaller. A configuration that honestly needs more is worth a bug report.",
	},
	{
		"E110", "outside of what is allowed",
		"The value is of the right kind, but outside the range, or not one of the words, that the key takes.",
		"limits: { header_count: 5 }",
		"Choose a value from those that the message names.",
	},
	{
		"E111", "quantity cannot be read",
		"A duration, size, rate or percentage has no unit or one that does not exist. Only zero needs none.",
		"timeouts: { head: 10 }",
		"Write a unit: 10s, 5m, 7d; 32KiB, 5MB; 240B/s; 20%.",
	},
	{
		"E112", "malformed value",
		"The text does not have the form of a host, address, prefix, header value or name.",
		"sites: { shop: { hosts: [\"shop.example/path\"] } }",
		"Follow the form that the message gives.",
	},
	{
		"E114", "header field of the gateway",
		"Fields that frame a message or belong to one connection are written by the gateway. Editing them would make two readings of one message possible.",
		"headers: { request: { set: { Content-Length: \"0\" } } }",
		"Take it away. The Host that origins get is a cluster's host_header.",
	},
	{
		"E201", "defined twice",
		"A name or a setting is there twice, in one file or in two that are read together.",
		"listeners: [{ name: a, address: \":80\" }, { name: a, address: \":81\" }]",
		"Rename one, or take it away. Lists of listeners and mappings are joined over files, settings are not.",
	},
	{
		"E202", "address in use twice",
		"Two listeners, or a listener and admin, would listen at the same port of the same address. \":8080\" is port 8080 of every address.",
		"listeners: [{ address: \":8080\" }, { address: \"127.0.0.1:8080\" }]",
		"Choose another port for one of them.",
	},
	{
		"E203", "origin defined in two ways",
		"An origin is one address with one name, kind, capacity, weight, state, host, user_dir and ids, in every cluster: load, health and connections go by it. An origin without a name is called by its address as it is written.",
		"clusters:\n  a: { origins: [{ name: web1, address: \"10.0.0.1:80\" }] }\n  b: { origins: [{ name: web1, address: \"10.0.0.2:80\" }] }",
		"Define the origin once, under origins, and name it in both clusters.",
	},
	{
		"E204", "file cannot be used",
		"A certificate, key, authority or page is not there or cannot be read.",
		"sites: { shop: { pages: { network: pages/missing.html } } }",
		"Correct the path, which is relative to the file that names it, or its permissions.",
	},
	{
		"E205", "unknown name",
		"A site, cluster, origin, session, application or plugin is named that is not defined, or a destination of a permit that selects no origin.",
		"mappings: [{ site: shop, cluster: shopp }]",
		"Use the name that is suggested, or define it.",
	},
	{
		"E206", "origin listed twice",
		"A cluster has the same origin twice, by its address.",
		"clusters: { a: { origins: [{ address: \"10.0.0.1:80\" }, { address: \"http://10.0.0.1\" }] } }",
		"List it once.",
	},
	{
		"E207", "settings that exclude or need each other",
		"One setting cannot work with, or without, another.",
		"listeners: [{ address: \":80\", proxy_protocol: require }]",
		"Do what the hint says.",
	},
	{
		"E208", "nothing to decide by",
		"There are several clusters and no sites, or sites and no mappings, so that no request could be answered.",
		"clusters:\n  a: { origins: [{ address: \"10.0.0.1:80\" }] }\n  b: { origins: [{ address: \"10.0.0.2:80\" }] }",
		"Add sites, and mappings from sites to clusters. Only a single cluster needs neither.",
	},
	{
		"E209", "include that fails",
		"A pattern names no file or is malformed, or names one that is read already.",
		"include: [conf.d/missing.yaml]",
		"Correct the pattern. One with * that matches nothing is fine.",
	},
	{
		"E210", "balancer that cannot be made",
		"The gateway was given a balancer that it has not. A file is refused before that, with E110: only a program that uses the gateway as a library gets here.",
		"cluster.Balancer = \"fastest\" // in Go",
		"Choose one of those that the message names.",
	},
	{
		"E211", "cluster twice in one mapping",
		"A mapping balances over its clusters as one, and tries its failover clusters after them; naming one again would do nothing.",
		"mappings: [{ site: shop, clusters: [a, b], failover: [a] }]",
		"Take one of them away, or name another.",
	},
	{
		"E220", "page cannot be read",
		"A page was there when the configuration was read, and is not any more.",
		"sites: { shop: { pages: { network: pages/network.html } } }",
		"Put the file back; while it is away, reload changes nothing.",
	},
	{
		"E230", "mappings that cannot be compiled",
		"The table of sites and mappings refuses one of them.",
		"sites: { shop: { hosts: [shop.example], path_prefix: /shop } }\nmappings: [{ site: shop, prefix: /api, cluster: shop }]",
		"Do what the message says: here, write a prefix below /shop.",
	},
	{
		"E240", "gateway cookie that cannot be made",
		"A session's own cookie cannot be made from its settings.",
		"sessions: { shop: { cookie: S, binding: gateway-cookie, keys: [\"short\"] } }",
		"Write keys of at least 32 characters: openssl rand -base64 48 makes one.",
	},
	{
		"E241", "extract that cannot be compiled",
		"What says where a session id names its origin cannot be compiled.",
		"sessions: { shop: { cookie: S, extract: { regex: \"(\" } } }",
		"Write one of format, regex, and offset with length or stop_chars.",
	},
	{
		"E301", "expression that cannot be read",
		"A rule's condition has a mistake of syntax, names what does not exist, or compares what cannot be compared. The place is that in the expression.",
		"rules: [{ name: a, when: 'clinet.ip == ip(\"10.0.0.1\")', reject: {} }]",
		"Do what the hint says. weirkeep help RULES explains the language, weirkeep help variables and functions list them; weirkeep rules repl tries an expression out.",
	},
	{
		"E302", "condition that is neither true nor false",
		"A rule's condition must be true or false of a request.",
		"rules: [{ name: a, when: method, reject: {} }]",
		"Compare it with something: method == \"GET\".",
	},
	{
		"E307", "literal that cannot be used",
		"An address, network, pattern, time zone, list or cluster in an expression cannot be used, or is no literal: it is compiled when the configuration is read.",
		"when: cidr(client.ip, \"10.0.0.0/33\")",
		"Write what the message names.",
	},
	{
		"E309", "not part of rules",
		"Rules compare parts of a request. They have no loops, ranges, arithmetic, variables of their own, and no nil.",
		"when: all(1..10, # > 0)",
		"Write each case, or use in_list().",
	},
	{
		"E312", "rules that cost too much",
		"The sum of what the parts of an expression cost, or of all rules of a site, is over the limit: 500 and 5000. weirkeep help functions lists the costs.",
		"when: path matches \"a\" or path matches \"b\" or ...",
		"Use glob(), startsWith, in_list(), or a list of constants; weirkeep check -v shows what each rule costs.",
	},
	{
		"E313", "expression that is too long",
		"An expression may have 16 KiB and 300 parts, and brackets that are nested 100 deep.",
		"when: \"...\"",
		"Write several rules, or a list.",
	},
	{
		"E314", "destination that cannot be read",
		"A permit names origins in a form that there is not.",
		"permit: { to: [main//web1] }",
		"Write cell/cluster, cell/cluster/origin, cell/cluster@edition, app:NAME@edition, cluster=CELL,CLUSTER or server=CELL,HOST,USERDIR,ORIGIN.",
	},
	{
		"E320", "sticky without cookie",
		"A permit that binds clients needs sessions with binding: gateway-cookie, and its site has none.",
		"permit: { to: main/shop, sticky: true }",
		"Give the site such a session, or take sticky away.",
	},
	{
		"E321", "location that cannot be used",
		"A redirect must say where it leads before a part of the request is put in, or a client could be led anywhere.",
		"redirect: { location: \"{path}\" }",
		"Begin with https://, a host or {host}, and a path; or with / and something of its own.",
	},
	{
		"E330", "key that is known too late",
		"What tells stored answers apart, session and key, must be known before the store is asked; and the caching rule depends on the answer, or stands behind one that does.",
		"rules: [{ name: own, when: status == 200, session: own }]",
		"Name nothing of the answer in its when, and write it before rules that do, or take session and key away.",
	},
	{
		"E401", "file that cannot be converted",
		"The file named to init --from cannot be opened, is not XML where it should be, is too large, or holds no routing rules.",
		"weirkeep init --from websphere plugin-cfg.xml",
		"Name rules.xml, a script of AdminTask commands, or the server.xml of Liberty, in UTF-8.",
	},
	{
		"E402", "expression that breaks the grammar",
		"The expression of a rule is no selector as JMS 1.1 has it. The rule is written as a comment.",
		"expression=\"uri == '/a'\"",
		"Correct it at the character that the message names: texts stand in single quotes, equal is =, not equal is <>.",
	},
	{
		"E403", "operand that cannot be asked here",
		"The expression asks for what rules do not know, such as clienthost, userid, groupid, or the port that a request arrived at. The rule is written as a comment.",
		"expression=\"userid = 'admin'\"",
		"Write the rule anew with what rules can ask; weirkeep help variables and weirkeep help functions list it.",
	},
	{
		"E404", "comparison that cannot be made",
		"The expression compares a text with a number, calculates, or names an address that is none. The rule is written as a comment.",
		"expression=\"virtualport = '80'\"",
		"Write texts and addresses in single quotes and numbers without; compare an operand alone.",
	},
	{
		"E405", "action that cannot be converted",
		"The action does not exist here, as localResource does not, or lacks a status from 400 to 599, a location, or destinations. The rule is written as a comment.",
		"action=\"reject\" code=\"200\"",
		"Complete the action, or write the rule anew.",
	},
	{
		"E406", "destination that cannot be read",
		"A destination is neither cluster= nor server=, has blanks or empty parts, or a name that nothing can have here. The rule is written as a comment.",
		"destination=\"cluster=cell1, shop\"",
		"Write cluster=CELL/CLUSTER, server=CELL/NODE/SERVER, cluster=CELL,CLUSTER or server=CELL,HOST,USERDIR,SERVER.",
	},
	{
		"E407", "rule that is not understood",
		"The rule lacks its expression or action, says something twice, or says something of which the meaning is not known; or a command changes a rule that is not there. The rule is written as a comment.",
		"<rule name=\"a\" enabled=\"false\" expression=\"uri = '/a'\" action=\"reject\" code=\"403\"/>",
		"Take away what means nothing, or the rule.",
	},
	{
		"E408", "converted expression that is refused",
		"The expression could be converted, and rules here do not take it: mostly it costs too much.",
		"expression=\"uri LIKE '/a%b' OR uri LIKE '/b%c' OR …\"",
		"Write several rules, or a list of lists:.",
	},
	{
		"E501", "not for this kind of plugin",
		"A plugin has a setting, or wants to be shown something, that its kind has not: a matcher keeps nothing and calls nobody, a collector sees no request, and only a router lists origins.",
		"plugins: { robots: { kind: matcher, module: robots.wasm, kv: 1MiB } }",
		"Take it away, or write one of the words that the message names.",
	},
	{
		"E502", "on_error is not said",
		"When a filter or a matcher fails, the request can go on without it or not, and a rule can be true or false. Only the operator knows which is safe, so it has to be written.",
		"sites: { shop: { hosts: [shop.example], filters: [{ plugin: redact }] } }",
		"Write on_error where the plugin is named, or at the plugin for all that name it: skip or reject for a filter, match or no-match for a matcher.",
	},
	{
		"E503", "plugin of another kind",
		"A cluster's router and its metric's collector, a site's filters and a rule's match name plugins of the kinds router, collector, filter and matcher.",
		"plugins: { busy: { kind: collector, module: busy.wasm } }\nclusters: { shop: { router: busy, origins: [web1] } }",
		"Name a plugin of the kind that the message asks for. A module that serves several kinds is several plugins.",
	},
	{
		"E504", "setting of another collector",
		"A cluster's metric has a key that its collector does not go by: source and pull are of value and log-delta, idle and busy of value, history and base of log-delta. A plugin goes by its params.",
		"clusters: { shop: { metric: { collector: value, source: push, history: 0.5 }, origins: [web1] } }",
		"Take the key away, or choose the collector that has it.",
	},
	{
		"E510", "no engine for plugins",
		"What runs WebAssembly cannot be made, so that no plugin can be loaded.",
		"node: { state_dir: /read-only }",
		"Let the gateway write to its state_dir, where code that was compiled is kept.",
	},
	{
		"E511", "module that cannot be used",
		"A plugin's module is no WebAssembly, is another one than sha256 says, lacks what its kind must export, asks for what it is not granted, or fails its first calls. Each thing that is wrong is told.",
		"plugins: { by-customer: { kind: router, module: component.wasm } }",
		"Do what the hint says, in the module or at the plugin.",
	},
	{
		"E512", "plugin that does not start",
		"The module is fine, and no instance of it can be made where it is named: it refuses its params or the cluster's origins, or needs more than its limits.",
		"clusters: { shop: { router: by-customer, origins: [web1] } }",
		"The message has what the module says. Correct its params, or raise its limits.",
	},
	{
		"E513", "filter that would see nothing",
		"A filter of stage: store sees answers and no requests, and the module has no gw_on_response.",
		"sites: { shop: { hosts: [shop.example], filters: [{ plugin: tag-requests, on_error: skip, stage: store }] } }",
		"Take stage away: then it sees requests. Or name a plugin that has gw_on_response.",
	},
	{
		"E601", "authorities that cannot be used",
		"A ca file is there and holds no certificate in PEM form.",
		"tls: { ca: tls/empty.pem }",
		"Name a file of certificates, each from BEGIN CERTIFICATE to END CERTIFICATE.",
	},
	{
		"E602", "certificate that cannot be used",
		"A cert and its key are there and are no pair in PEM form.",
		"certificates: [{ cert: tls/site.pem, key: tls/other.key }]",
		"Name the key that belongs to the certificate; the certificate comes first in its file, those between it and the authority after it.",
	},
	{
		"E801", "stopping",
		"The gateway was told to stop and takes no configuration any more.",
		"weirkeep reload",
		"Start it again.",
	},
	{
		"E802", "address that cannot be listened at",
		"The address is taken by another process, does not belong to this machine, or its port needs rights that the user has not.",
		"listeners: [{ address: \":80\" }]",
		"Find what has it with ss -ltnp, choose another, or grant CAP_NET_BIND_SERVICE.",
	},
	{
		"E803", "access log that cannot be opened",
		"The file of the access log cannot be created or written.",
		"access_log: { path: /var/log/weirkeep/access.log }",
		"Make its directory, and let the user of the gateway write there.",
	},
	{
		"E804", "admin socket that cannot be made",
		"The folder of admin.socket does not exist or may not be written to, or something else has the path.",
		"admin: { socket: /run/weirkeep/admin.sock }",
		"Make the folder, and let the user of the gateway write there; systemd does with RuntimeDirectory=weirkeep.",
	},
	{
		"E805", "state directory that cannot be used",
		"The admin token is kept in node.state_dir, and it cannot be written or read there.",
		"node: { state_dir: /var/lib/weirkeep }",
		"Let the user of the gateway write there (systemd does with StateDirectory=weirkeep), choose another node.state_dir, or set admin.token.",
	},
	{
		"E806", "roll-outs that cannot be read",
		"How far roll-outs are is kept in rollouts.json in node.state_dir, and the file cannot be read, or holds something else. Without it the gateway does not know which edition serves, and which origins are being renewed.",
		"node: { state_dir: /var/lib/weirkeep }",
		"Correct what the message says. To begin as the configuration says instead, delete the file.",
	},
	{
		"E807", "settings that cannot be read",
		"What operators have set of origins is kept in settings.json in node.state_dir, and the file cannot be read, or holds something else and cannot be kept aside.",
		"node: { state_dir: /var/lib/weirkeep }",
		"Let the user of the gateway read and write there.",
	},
	{
		"E808", "cache folder that cannot be used",
		"Stored answers are to be kept in cache.disk.path. That is no folder, may not be read and written by the user of the gateway, may be written by others, or is in use by another process.",
		"cache: { enabled: true, disk: { path: /etc/hosts } }",
		"Name a folder of this gateway alone, which its user may write to: systemd makes one with CacheDirectory=weirkeep. It need not exist.",
	},
}

// Explain is the entry of a code, in upper case.
func Explain(code string) (Code, bool) {
	for _, c := range Codes {
		if c.Code == code {
			return c, true
		}
	}
	return Code{}, false
}
